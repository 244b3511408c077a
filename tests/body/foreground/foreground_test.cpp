// The foreground on rendered rooms.
#include "kinema/foreground.h"

#include "kinema/error.h"
#include "rendered_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace kinema::body {
namespace {

using namespace rendered;

TEST(Foreground, finds_a_person_and_the_room_around) {
  const Capsules truth = person(0.2f, 2.8f);
  const Image image = render(truth, {});
  Foreground foreground(camera);
  const PointCloud cloud = foreground.cut(image.view());
  expect_cut_out(cloud, image, truth);
  EXPECT_GT(count(cloud, truth).background, 1000u);

  ASSERT_EQ(foreground.planes().size(), 2u);
  for (const Plane& plane : foreground.planes()) {
    EXPECT_NEAR(plane.offset, plane.floor ? floor_height : 4.0, 0.01);
    EXPECT_NEAR(plane.floor ? plane.normal.y : plane.normal.z, -1, 1e-4);
  }
  ASSERT_TRUE(foreground.floor());
  EXPECT_NEAR(foreground.floor()->offset, floor_height, 0.01);
  EXPECT_FALSE(Foreground(camera).floor());
  ASSERT_FALSE(foreground.candidates().empty());
  const Candidate& candidate = foreground.candidates()[0];
  EXPECT_NEAR(candidate.height, 1.7, 0.15);
  EXPECT_NEAR(candidate.centre.x, 0.2, 0.1);
  EXPECT_GT(candidate.likeness, 0.8);
  EXPECT_FALSE(candidate.cut_off);
}

TEST(Foreground, keeps_the_feet) {
  const Capsules truth = person(0, 3);
  const Image image = render(truth, {});
  const Capsules feet = [&] {
    Capsules c;
    for (std::size_t k = 0; k < truth.size(); k += 7)
      if (truth[k + 3] == 0.045f)
        c.insert(c.end(), truth.begin() + static_cast<std::ptrdiff_t>(k),
                 truth.begin() + static_cast<std::ptrdiff_t>(k + 7));
    return c;
  }();
  Foreground foreground(camera);
  for (const Capsules& expected : {Capsules{}, truth}) {
    const PointCloud cloud = foreground.cut(image.view(), expected);
    const Count n = count(cloud, feet);
    EXPECT_GT(static_cast<double>(n.person), 0.9 * static_cast<double>(visible(image, feet, 0.04f)));
  }
}

TEST(Foreground, takes_what_stands_where_the_person_is_expected) {
  const Capsules truth = person(0.2f, 2.6f), expected = person(0.12f, 2.65f), neighbour = person(-1.0f, 2.4f);
  Capsules both = truth;
  both.insert(both.end(), neighbour.begin(), neighbour.end());
  const Image image = render(both, {});
  Foreground foreground(camera);
  const PointCloud cloud = foreground.cut(image.view(), expected);
  expect_cut_out(cloud, image, truth);
  EXPECT_GT(count(cloud, truth).background, 1000u);
}

TEST(Foreground, leaves_out_furniture_that_stays_beside_the_skin) {
  const Capsules truth = person(0, 2.6f);
  const auto seat = [](float x) {
    Capsules c;
    add(c, {x, 0.7f, 2.6f}, 0.08f, {x, 1.1f, 2.6f});
    return c;
  };
  // points of the seat that count as the person's in the last of several frames
  Foreground foreground(camera);
  std::uint32_t frame = 0;
  const auto taken = [&](float x, std::uint32_t frames, const Capsules& more = {}) {
    Capsules all = truth;
    for (const Capsules& some : {seat(x), more}) all.insert(all.end(), some.begin(), some.end());
    PointCloud cloud;
    for (const std::uint32_t end = frame + frames; frame < end; ++frame)
      cloud = foreground.cut(render(all, {.frame = frame}).view(), truth);
    EXPECT_GT(count(cloud, truth).person, 2000u);
    return count(cloud, more.empty() ? seat(x) : more).person;
  };
  const std::size_t at_first = taken(0.38f, 1);
  EXPECT_GT(at_first, 200u);
  EXPECT_GT(taken(0.38f, 5), 0.8 * static_cast<double>(at_first));
  EXPECT_LT(taken(0.38f, 28), 0.1 * static_cast<double>(at_first));
  // a hand before it is the person's, and it stays furniture meanwhile
  Capsules hand;
  add(hand, {0.36f, 0.6f, 2.45f}, 0.04f, {0.36f, 0.75f, 2.45f});
  EXPECT_GT(taken(0.38f, 1, hand), 50u);
  EXPECT_LT(taken(0.38f, 1), 0.1 * static_cast<double>(at_first));
  // what moves is no furniture
  EXPECT_GT(taken(0.3f, 1), 0.4 * static_cast<double>(at_first));
}

TEST(Foreground, what_stood_beside_one_person_may_be_the_next_who_comes) {
  const Capsules one = person(0, 2.6f);
  Capsules beside, all = one;
  add(beside, {0.38f, 0.7f, 2.6f}, 0.08f, {0.38f, 1.1f, 2.6f});
  all.insert(all.end(), beside.begin(), beside.end());
  Foreground foreground(camera);
  std::vector<PointCloud> clouds;
  const auto taken = [&](int who, std::uint32_t frame) {
    const std::vector<ExpectedPerson> people = {{one, 0, who}, {person(-1.4f, 2.6f), 0, 7}};
    foreground.cut(render(all, {.frame = frame}).view(), people, clouds);
    return count(clouds.front(), beside).person;
  };
  const std::size_t at_first = taken(1, 0);
  EXPECT_GT(at_first, 200u);
  for (std::uint32_t frame = 1; frame < 34; ++frame) taken(1, frame);
  EXPECT_LT(taken(1, 34), 0.1 * static_cast<double>(at_first));
  // one left and one came in the same frame
  EXPECT_GT(taken(2, 35), 0.8 * static_cast<double>(at_first));
}

TEST(Foreground, leaves_out_what_stands_before_the_person) {
  const Capsules truth = person(0, 3);
  Capsules pole, both = truth;
  add(pole, {0.25f, -1, 1.5f}, 0.1f, {0.25f, 1, 1.5f});
  both.insert(both.end(), pole.begin(), pole.end());
  const Image image = render(both, {});
  Foreground foreground(camera);
  const PointCloud cloud = foreground.cut(image.view(), truth);
  const Count n = count(cloud, pole);
  EXPECT_GT(visible(image, pole, 0), 1000u);
  EXPECT_EQ(n.person, 0u);                // none of the person's
  EXPECT_EQ(n.background_on_person, 0u);  // nor behind it
}

TEST(Foreground, of_several_people_takes_one_and_reports_all) {
  Capsules all = person(-0.6f, 2.5f);
  for (const auto& [x, z] : {std::pair{0.5f, 3.2f}, std::pair{1.5f, 3.0f}}) {
    const Capsules more = person(x, z);
    all.insert(all.end(), more.begin(), more.end());
  }
  const Image image = render(all, {5});
  Foreground foreground(camera);
  const PointCloud cloud = foreground.cut(image.view());
  expect_cut_out(cloud, image, person(-0.6f, 2.5f));
  ASSERT_GE(foreground.candidates().size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GT(foreground.candidates()[i].likeness, 0.5);
}

TEST(Foreground, a_background_image_does_without_planes) {
  Capsules column;
  add(column, {0.7f, -1, 3}, 0.2f, {0.7f, 1.1f, 3});
  const Capsules truth = person(-0.1f, 2.8f);
  Capsules both = truth;
  both.insert(both.end(), column.begin(), column.end());
  ForegroundSettings settings;
  settings.planes = false;
  Foreground foreground(camera, settings);
  foreground.set_background(render(column, {}).view());
  const Image image = render(both, {4, floor_height, 0.0015, 1});
  expect_cut_out(foreground.cut(image.view()), image, truth);
  EXPECT_EQ(foreground.candidates().size(), 1u);
  expect_cut_out(foreground.cut(image.view(), truth), image, truth);
}

// The same with nothing but the person.
Image cut_out(Image image, const Capsules& truth) {
  for (std::size_t i = 0; i < image.depth.size(); ++i) {
    const Vec3f p = image.point(i);
    if (!(p.z > 0 && distance_to(truth, p) < 0.06f)) image.depth[i] = 0;
  }
  return image;
}

TEST(Foreground, empty_pixels_beside_a_person_who_was_cut_out_saw_past_it) {
  const Capsules truth = person(0.2f, 2.8f);
  const Image room = render(truth, {}), alone = cut_out(room, truth);
  ForegroundSettings no, yes;
  no.cut_out = CutOut::no;
  yes.cut_out = CutOut::yes;
  for (const Capsules& expected : {Capsules{}, truth}) {
    const PointCloud cloud = Foreground(camera).cut(alone.view(), expected);
    const Count n = count(cloud, truth);
    EXPECT_GT(n.person, 1000u);
    EXPECT_GT(n.background, 200u);
    EXPECT_EQ(count(Foreground(camera, yes).cut(alone.view(), expected), truth).background, n.background);
    EXPECT_EQ(count(Foreground(camera, no).cut(alone.view(), expected), truth).background, 0u);
    // none of them points at the person
    for (std::size_t i = 0; i < cloud.background.size(); ++i) {
      if (cloud.background[i] == 0) continue;
      const double z = cloud.xyz[3 * i + 2];
      const double u = camera.fx * cloud.xyz[3 * i] / z + camera.cx,
                   v = camera.fy * cloud.xyz[3 * i + 1] / z + camera.cy;
      if (u < 0 || v < 0 || u >= camera.width || v >= camera.height) continue;  // beyond the border, see below
      EXPECT_EQ(alone.depth[static_cast<std::size_t>(std::lround(v)) * static_cast<std::size_t>(camera.width) +
                            static_cast<std::size_t>(std::lround(u))],
                0);
    }
  }
}

TEST(Foreground, whoever_does_not_reach_the_border_is_not_beyond_it) {
  // feet just above the lower border, then below it
  for (const bool whole : {true, false}) {
    const double far = whole ? 2.9 : 2.2;
    const Capsules truth = person(0, static_cast<float>(far));
    const Image image = cut_out(render(truth, {}), truth);
    const PointCloud cloud = Foreground(camera).cut(image.view(), truth);
    double lowest = 0;
    std::size_t below = 0;
    for (std::size_t i = 0; i < cloud.background.size(); ++i) {
      const double v = camera.fy * cloud.xyz[3 * i + 1] / cloud.xyz[3 * i + 2] + camera.cy;
      if (cloud.background[i] == 0)
        lowest = std::max(lowest, v);
      else if (v > camera.height)
        ++below;
    }
    if (whole) {
      ASSERT_LT(lowest, camera.height - 4);
      EXPECT_GT(below, 10u) << lowest;
    } else {
      ASSERT_GT(lowest, camera.height - 4);
      EXPECT_EQ(below, 0u);
    }
  }
}

TEST(Foreground, images_of_any_size_have_an_exterior) {
  ForegroundSettings settings;
  settings.cut_out = CutOut::yes;
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 240}, {640, 1}, {641, 3}, {3, 500}}) {
    for (const double middle : {0.5, 1e9}) {
      const Camera odd{width, height, 500, 500, middle * width, middle * height};
      std::vector<float> depth(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 2.0f);
      for (std::size_t i = 0; i < depth.size(); i += 3) depth[i] = 0;
      const Capsules expected = person(0, 2);
      const ImageView<const float> view{depth.data(), static_cast<std::size_t>(width), static_cast<std::size_t>(height),
                                        static_cast<std::size_t>(width)};
      for (const Capsules& gate : {Capsules{}, expected}) {
        const PointCloud cloud = Foreground(odd, settings).cut(view, gate);
        EXPECT_EQ(cloud.xyz.size(), 3 * cloud.background.size());
      }
    }
  }
}

TEST(Foreground, knows_that_a_person_at_the_border_goes_on) {
  const Capsules truth = person(-1.55f, 2.6f);
  const Image image = render(truth, {});
  ASSERT_GT(visible(image, truth, 0), 500u);
  Foreground foreground(camera);
  expect_cut_out(foreground.cut(image.view()), image, truth);
  ASSERT_FALSE(foreground.candidates().empty());
  EXPECT_TRUE(foreground.candidates()[0].cut_off);
  expect_cut_out(foreground.cut(image.view(), truth), image, truth);
}

TEST(Foreground, finds_nobody_where_nobody_is) {
  Image nothing, not_numbers, far;
  std::fill(not_numbers.depth.begin(), not_numbers.depth.end(), nan);
  std::fill(far.depth.begin(), far.depth.end(), infinity);
  for (const Image& image : {nothing, not_numbers, far, render({}, {}), render({}, {4, 1000}),
                             render({}, {std::numeric_limits<double>::infinity()})}) {
    Foreground foreground(camera);
    EXPECT_EQ(foreground.cut(image.view()).size(), 0u);
    EXPECT_TRUE(foreground.candidates().empty());
    EXPECT_EQ(count(foreground.cut(image.view(), person(0, 3)), person(0, 3)).person, 0u);
  }
}

TEST(Foreground, an_expectation_out_of_sight_gives_nothing) {
  const Image image = render(person(0, 3), {});
  Foreground foreground(camera);
  EXPECT_EQ(foreground.cut(image.view(), person(20, 3)).size(), 0u);
  EXPECT_EQ(foreground.cut(image.view(), person(0, -3)).size(), 0u);
  EXPECT_EQ(count(foreground.cut(image.view(), person(0, 1e6f)), person(0, 3)).person, 0u);
  // nor does one that is spread over a kilometre run out of memory
  Capsules wide = person(0, 3);
  add(wide, {-500, 0, 3}, 0.1f, {500, 0, 900});
  EXPECT_GT(foreground.cut(image.view(), wide).size(), 0u);
}

TEST(Foreground, ignores_depths_that_are_no_numbers) {
  const Capsules truth = person(0, 2.8f);
  Image image = render(truth, {});
  for (std::size_t i = 0; i < image.depth.size(); i += 7) image.depth[i] = i % 2 == 0 ? nan : infinity;
  Foreground foreground(camera);
  for (const Capsules& expected : {Capsules{}, truth}) {
    const PointCloud cloud = foreground.cut(image.view(), expected);
    EXPECT_GT(count(cloud, truth).person, visible(image, truth, 0.04f) * 9 / 10);
    EXPECT_TRUE(std::all_of(cloud.xyz.begin(), cloud.xyz.end(), [](float x) { return std::isfinite(x); }));
  }
}

TEST(Foreground, cuts_clouds_too) {
  const Capsules truth = person(0.1f, 2.8f);
  const Image image = render(truth, {});
  std::vector<float> points;
  std::vector<std::uint8_t> marks;
  for (std::size_t i = 0; i < image.depth.size(); ++i) {
    const Vec3f p = image.point(i);
    points.insert(points.end(), {p.x, p.y, p.z});
    marks.push_back(0);
  }
  points.insert(points.end(), {nan, 0, 2, 0, infinity, 2, 0, 0, -2, 1e30f, 0, 2, 0.2f, -0.5f, 3.9f, 3, -0.5f, 3.9f});
  marks.insert(marks.end(), {0, 0, 0, 0, 1, 1});  // a ray beside the head, another far from it
  Foreground foreground(Camera{});
  for (const Capsules& expected : {Capsules{}, truth}) {
    const PointCloud cloud = foreground.cut(PointsView{points.data(), marks.size(), marks}, expected);
    const Count n = count(cloud, truth);
    EXPECT_GT(n.person, visible(image, truth, 0.04f) * 97 / 100);
    EXPECT_LT(n.other, n.person / 50);
    EXPECT_EQ(n.background, 1u);
    EXPECT_EQ(foreground.planes().size(), 2u);
  }
  EXPECT_EQ(foreground.cut(PointsView{}).size(), 0u);
}

TEST(Foreground, thins_evenly_and_keeps_the_limbs) {
  const Capsules truth = person(0, 2);
  const Image image = render(truth, {});
  ForegroundSettings settings;
  settings.points = 400;
  settings.background_points = 300;
  Foreground all(camera), some(camera, settings);
  const PointCloud whole = all.cut(image.view(), truth), thin = some.cut(image.view(), truth);
  const auto persons = static_cast<std::size_t>(std::count(thin.background.begin(), thin.background.end(), 0));
  EXPECT_LE(persons, 400u);
  EXPECT_GE(persons, 340u);
  EXPECT_LE(thin.size() - persons, 300u);
  EXPECT_GE(thin.size() - persons, 250u);

  // some 1.0 m^2 over 400 points: none of the whole cloud is further than two cells of 5 cm from one that stays
  for (std::size_t i = 0; i < whole.size() && whole.background[i] == 0; ++i) {
    float nearest = 1e9f;
    for (std::size_t k = 0; k < persons; ++k) {
      const Vec3f way{whole.xyz[3 * i] - thin.xyz[3 * k], whole.xyz[3 * i + 1] - thin.xyz[3 * k + 1],
                      whole.xyz[3 * i + 2] - thin.xyz[3 * k + 2]};
      nearest = std::min(nearest, dot(way, way));
    }
    ASSERT_LT(std::sqrt(nearest), 0.1f);
  }
}

TEST(Foreground, the_same_frames_give_the_same_clouds) {
  ForegroundSettings settings;
  settings.points = 500;
  Foreground first(camera, settings), second(camera, settings);
  for (std::uint32_t frame = 0; frame < 3; ++frame) {
    const Image image = render(person(0, 2.8f), {4, floor_height, 0.0015, frame});
    const PointCloud a = first.cut(image.view()), b = second.cut(image.view());
    EXPECT_EQ(a.xyz, b.xyz);
    EXPECT_EQ(a.background, b.background);
  }
}

TEST(Foreground, any_number_of_threads_gives_the_same_cloud) {
  const Capsules truth = person(0, 2.8f);
  const Image image = render(truth, {});
  Foreground whole(camera);
  const PointCloud everything = whole.cut(image.view(), truth);
  const auto person_points =
      static_cast<std::size_t>(std::count(everything.background.begin(), everything.background.end(), std::uint8_t{0}));
  ForegroundSettings settings;
  settings.points = person_points * 9 / 10;  // a few too many
  settings.background_points = 500;          // far too many
  PointCloud first;
  for (const int threads : {1, 3}) {
    Foreground foreground(camera, settings, Compute(Backend::cpu, threads));
    PointCloud cloud;
    for (int frame = 0; frame < 2; ++frame) foreground.cut(image.view(), truth, cloud);  // the second into old memory
    const Count n = count(cloud, truth);
    EXPECT_EQ(n.person + n.other, settings.points);
    EXPECT_LE(n.background, 500u);
    EXPECT_GT(n.background, 250u);
    if (threads == 1) first = cloud;
    EXPECT_EQ(cloud.xyz, first.xyz);
    EXPECT_EQ(cloud.background, first.background);
  }
}

TEST(Foreground, searches_the_floor_again_when_the_camera_moved) {
  Foreground foreground(camera);
  foreground.cut(render({}, {}).view());
  foreground.cut(render({}, {3.5, 1.3}).view());
  ASSERT_EQ(foreground.planes().size(), 2u);
  // of the floor three rows of blocks are in sample, one of them over the edge of the wall, which tilts it a little
  for (const Plane& plane : foreground.planes()) EXPECT_NEAR(plane.offset, plane.floor ? 1.3 : 3.5, 0.02);
}

TEST(Foreground, a_wall_that_somebody_hides_stays) {
  Foreground foreground(camera);
  foreground.cut(render({}, {}).view());
  Capsules near;
  add(near, {0, 0, 1.2f}, 0.5f, {0, 0.3f, 1.2f});
  foreground.cut(render(near, {}).view());
  EXPECT_EQ(foreground.planes().size(), 2u);
}

TEST(Foreground, refuses_what_makes_no_sense) {
  const auto refusal = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "no refusal";
  };
  ForegroundSettings window, gate;
  window.nearest = 13;
  gate.gate = 0;
  EXPECT_NE(refusal([&] { Foreground f(camera, window); }).find("depth window"), std::string::npos);
  EXPECT_NE(refusal([&] { Foreground f(camera, gate); }).find("gate"), std::string::npos);
  EXPECT_NE(refusal([&] { Foreground f(Camera{10, 10, 0, 1, 0, 0}); }).find("fx 0"), std::string::npos);

  const Image image;
  Foreground foreground(camera), without(Camera{});
  const std::vector<float> small(16, 1.0f), short_capsule(6, 1.0f), flat{0, 0, 3, 0, 0, 1, 3},
      bad{0, 0, 3, 1, 0, nan, 3};
  EXPECT_NE(refusal([&] {
              foreground.cut(ImageView<const float>{small.data(), 4, 4, 4});
            }).find("4 x 4"),
            std::string::npos);
  EXPECT_NE(refusal([&] { foreground.set_background(ImageView<const float>{}); }).find("0 x 0"), std::string::npos);
  EXPECT_NE(refusal([&] { without.cut(image.view()); }).find("give the camera"), std::string::npos);
  EXPECT_NE(refusal([&] { foreground.cut(image.view(), short_capsule); }).find("6 floats"), std::string::npos);
  EXPECT_NE(refusal([&] { foreground.cut(image.view(), flat); }).find("radius"), std::string::npos);
  EXPECT_NE(refusal([&] { foreground.cut(image.view(), bad); }).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace kinema::body
