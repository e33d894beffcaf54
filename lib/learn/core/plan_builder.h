#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learn/core/plan.h"

namespace glimpse {

/// Puts draws into a plan in the order in which they were made, and then the distinct attributes they fall
/// on. O(K log K) a plan; allocates nothing once it has made a plan of that size. Thread-safety: none.
class PlanBuilder {
 public:
  /// Empties `plan`, which must live until finish().
  void begin(Plan& plan) {
    plan.clear();
    plan_ = &plan;
    order_.clear();
    paired_ = false;
  }
  void add_data_point(Attribute attribute, double coefficient) {
    order_.push_back(key(attribute, 0, plan_->data_point.size()));
    plan_->data_point.push_back({0, coefficient});
  }
  void add_inner_product(Attribute attribute, double coefficient) {
    order_.push_back(key(attribute, kInner, plan_->inner_product.size()));
    plan_->inner_product.push_back({0, coefficient});
  }
  /// A draw that serves both parts. Of a plan, all draws do or none.
  void add_pair(Attribute attribute, double data_coefficient, double inner_coefficient) {
    add_data_point(attribute, data_coefficient);
    plan_->inner_product.push_back({0, inner_coefficient});
    paired_ = true;
  }
  /// Gives every draw its position.
  void finish() {
    std::sort(order_.begin(), order_.end());
    for (const std::uint64_t key : order_) {
      const auto attribute = static_cast<Attribute>(key >> 32);
      const auto draw = static_cast<std::uint32_t>(key);
      std::vector<Attribute>& attributes = plan_->attributes;
      if (attributes.empty() || attributes.back() != attribute) attributes.push_back(attribute);
      std::vector<Draw>& part = (draw & kInner) != 0 ? plan_->inner_product : plan_->data_point;
      part[draw & ~kInner].position = static_cast<std::uint32_t>(attributes.size() - 1);
    }
    if (!paired_) return;
    for (std::size_t draw = 0; draw < plan_->data_point.size(); ++draw)
      plan_->inner_product[draw].position = plan_->data_point[draw].position;
  }

 private:
  static constexpr std::uint32_t kInner = std::uint32_t{1} << 31;

  static std::uint64_t key(Attribute attribute, std::uint32_t part, std::size_t draw) {
    return static_cast<std::uint64_t>(attribute) << 32 | part | draw;
  }

  Plan* plan_ = nullptr;
  bool paired_ = false;
  std::vector<std::uint64_t> order_;  // attribute, part and draw
};

}  // namespace glimpse
