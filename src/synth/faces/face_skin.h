// The colours of a synthetic face by position on its head: skin, eyes, brows, lips, mouth, beard, hair.
#pragma once

#include "core/geometry.h"
#include "synth/faces/face_plan.h"
#include "synth/faces/face_surface.h"
#include "synth/texture.h"

#include <vector>

namespace kinema::synth {

/// A surface's colour and gloss.
struct FacePaint {
  Colour colour;
  float gloss = 0;
};

class FaceSkin {
public:
  /// `blur`: the length over which edges are softened, about a pixel.
  FaceSkin(const FacePlan& plan, const FaceIdentity& identity, const FaceExpression& expression, float blur);

  FacePaint at(FaceMaterial material, const Vec3f& place) const;

private:
  /// A smooth closed line through landmarks, with its bounding box.
  struct Outline {
    std::vector<Point2> line;
    double left = 0, right = 0, top = 0, bottom = 0;

    /// The distance from the line, negative inside; large for places that are not near the box.
    float distance(double x, double y, double reach) const;
  };
  struct Eye {
    Outline lids;
    std::vector<Point2> upper;  // the lashes
    Point2 iris;
    double radius = 0;
    Point2 wing, wing_end;  ///< beyond the outer corner
    Point2 caruncle;
  };

  static Outline outline(const std::vector<Point2>& corners);
  Eye eye(std::size_t first) const;

  FacePaint head(const Vec3f& place) const;
  FacePaint skin(double x, double y, double z) const;
  void draw_beard(FacePaint& paint, double x, double y, const Vec3f& place) const;
  void draw_brows(FacePaint& paint, double x, double y) const;
  void draw_eye(FacePaint& paint, const Eye& eye, double x, double y) const;
  void draw_age(FacePaint& paint, const Eye& eye, double x, double y) const;
  void draw_glasses(FacePaint& paint, double x, double y) const;
  void draw_nostrils(FacePaint& paint, double x, double y) const;
  void draw_mouth(FacePaint& paint, double x, double y) const;
  Colour hair(const Vec3f& place) const;
  float edge(float distance) const;  // 1 inside, 0 outside

  FacePlan plan_;
  FaceIdentity identity_;
  FaceExpression expression_;
  float blur_;
  double brow_sink_ = 0;
  Eye left_eye_, right_eye_;
  Outline lips_, mouth_;
  Colour skin_, lip_, hair_, iris_;
};

}  // namespace kinema::synth
