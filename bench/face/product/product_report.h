// The matrix–vector products of `kinema bench face` as text, JSON and a section of the page.
#pragma once

#include "bench/face/product/product_bench.h"
#include "report/report.h"

#include <nlohmann/json.hpp>

#include <string>

namespace kinema::bench {

std::string product_text(const ProductReport& report);
nlohmann::ordered_json product_json(const ProductReport& report);
report::Section product_section(const ProductReport& report);

}  // namespace kinema::bench
