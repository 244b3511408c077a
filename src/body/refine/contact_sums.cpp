#include "body/refine/contact_sums.h"

#ifdef KINEMA_HAVE_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "body/refine/contact_sums.cpp"
#include <hwy/foreach_target.h>
#endif
// after foreach_target
#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::body {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void add_contacts_kernel(const TwistContact* contacts, std::size_t count, TwistSums* bodies) {
  const hn::CappedTag<double, TwistSums::padded> d;
  const hn::Rebind<float, decltype(d)> singles;
  for (std::size_t n = 0; n < count; ++n) {
    const TwistContact& contact = contacts[n];
    TwistSums& sums = bodies[contact.body];
    double factors[TwistSums::size + 1];
    for (std::size_t k = 0; k < TwistSums::size; ++k) factors[k] = contact.weight * static_cast<double>(contact.f[k]);
    factors[TwistSums::size] = contact.gradient;
    for (std::size_t i = 0; i < TwistSums::padded; i += hn::Lanes(d)) {
      const auto f = hn::PromoteTo(d, hn::LoadU(singles, contact.f + i));
      for (std::size_t k = 0; k <= TwistSums::size; ++k) {
        double* row = sums.rows[k] + i;
        hn::StoreU(hn::Add(hn::LoadU(d, row), hn::Mul(hn::Set(d, factors[k]), f)), d, row);  // not fused
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::body
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::body {

HWY_EXPORT(add_contacts_kernel);

void add_contacts(std::span<const TwistContact> contacts, std::span<TwistSums> bodies) {
  HWY_DYNAMIC_DISPATCH(add_contacts_kernel)(contacts.data(), contacts.size(), bodies.data());
}

}  // namespace kinema::body
#endif
