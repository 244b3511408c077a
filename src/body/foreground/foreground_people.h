// Several people who are expected in a frame, and whose a point is.
#pragma once

#include "body/foreground/foreground_gate.h"
#include "core/geometry.h"
#include "core/threads.h"
#include "kinema/foreground.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kinema::body {

class ExpectedPeople {
public:
  ExpectedPeople() = default;

  /// Gates reach `reach` beyond the skin, and further where there is doubt.
  ExpectedPeople(std::span<const ExpectedPerson> people, float reach, float touch, const Threads& threads);

  const std::vector<Gate>& gates() const { return gates_; }

  /// Whether somebody of this number is among them; see ExpectedPerson::who.
  bool has(int who) const;

  /// Whether a point in the gate of one of them is rather another's.
  bool others_have(std::size_t own, Vec3f point) const;

  /// Whether it is so near to somebody's skin that it is nobody else's.
  bool explain(Vec3f point) const;

private:
  float distance(std::size_t person, Vec3f point) const;  // from the skin, over how far a point usually is from it

  std::vector<ExpectedPerson> people_;
  std::vector<Gate> gates_;
};

}  // namespace kinema::body
