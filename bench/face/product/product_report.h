// The matrix–vector products of `kinema bench face` as JSON and a section of the page.
#pragma once

#include "bench/face/product/product_bench.h"
#include "report/report.h"

#include <nlohmann/json.hpp>

namespace kinema::bench {

nlohmann::ordered_json product_json(const ProductReport& report);
report::Section product_section(const ProductReport& report);

}  // namespace kinema::bench
