#include "kinema/exchange.h"

#include <algorithm>
#include <cstring>

namespace kinema {
namespace {

class HostTransfer final : public Transfer {
public:
  void copy(void* to, const void* from, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void wait() override {}
  bool host() const override { return true; }
};

// What part p lacks of order[j] for the j of its slice.
std::vector<int> wanted_by(std::span<const int> order, std::size_t total, int part, int parts) {
  const Slice own = slice_of(total, part, parts);
  std::vector<int> wanted;
  for (std::size_t j = own.begin; j < own.end; ++j) {
    const auto item = static_cast<std::size_t>(order[j]);
    if (item < own.begin || item >= own.end) wanted.push_back(order[j]);
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

}  // namespace

Slice slice_of(std::size_t total, int part, int parts) {
  const auto all = static_cast<std::size_t>(parts), p = static_cast<std::size_t>(part);
  const std::size_t each = total / all, more = total % all;
  const std::size_t begin = p * each + std::min(p, more);
  return {begin, begin + each + (p < more ? 1 : 0)};
}

int owner_of(std::size_t item, std::size_t total, int parts) {
  int part = 0;
  while (part + 1 < parts && item >= slice_of(total, part, parts).end) ++part;
  return part;
}

Transfer& host_transfer() {
  static HostTransfer transfer;  // has no state
  return transfer;
}

void Exchange::gather(const Items& items, Transfer& transfer) {
  if (parts() == 1) return;
  do_gather(items, transfer);
  bytes_ += static_cast<std::uint64_t>(items.count) * items.bytes_each * static_cast<std::uint64_t>(parts() - 1);
}

void Exchange::fetch(const Items& items, std::span<const int> order, Transfer& transfer) {
  if (parts() == 1) return;
  std::vector<std::vector<int>> wanted;
  std::size_t moved = 0;
  for (int p = 0; p < parts(); ++p) {
    wanted.push_back(wanted_by(order, items.count, p, parts()));
    moved += wanted.back().size();
  }
  if (moved == 0) return;
  do_fetch(items, wanted, transfer);
  bytes_ += static_cast<std::uint64_t>(moved) * items.bytes_each;
}

std::vector<const void*> Exchange::share(const void* data, Transfer& transfer) {
  return parts() == 1 ? std::vector<const void*>{data} : do_share(data, transfer);
}

void Exchange::count_fetched(std::span<const int> order, std::size_t bytes_each) {
  for (int p = 0; p < parts(); ++p)
    bytes_ += static_cast<std::uint64_t>(wanted_by(order, order.size(), p, parts()).size()) * bytes_each;
}

void Exchange::settle(Transfer& transfer) {
  if (parts() > 1) do_settle(transfer);
}

void Exchange::broadcast(void* data, std::size_t bytes, int from, Transfer& transfer) {
  if (parts() == 1 || bytes == 0) return;
  do_broadcast(data, bytes, from, transfer);
  bytes_ += static_cast<std::uint64_t>(bytes) * static_cast<std::uint64_t>(parts() - 1);
}

void Exchange::sum_in_turn(std::span<double> sums, const std::function<void()>& add) {
  if (parts() == 1) return add();
  do_sum_in_turn(sums, add);
  // down the row of parts, and the result to all but the last
  bytes_ += 2 * static_cast<std::uint64_t>(sums.size_bytes()) * static_cast<std::uint64_t>(parts() - 1);
}

}  // namespace kinema
