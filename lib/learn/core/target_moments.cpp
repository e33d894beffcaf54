#include "learn/core/target_moments.h"

#include <utility>

namespace glimpse {

void save(State& state, const std::string& name, const ClassMoments& moments) {
  state.put_copy<double>(name + ".counts", moments.counts);
  state.put_copy<double>(name + ".covariances", moments.covariances);
  state.put_copy<double>(name + ".targets", moments.targets);
  state.put_copy<double>(name + ".totals", moments.totals);
  state.put_copy<double>(name + ".leverages", moments.leverages);
}

Result<std::shared_ptr<const ClassMoments>> restore_class_moments(const State& state, const std::string& name,
                                                                  std::size_t classes, std::size_t slots) {
  if (state.find(name + ".counts") == nullptr) return std::shared_ptr<const ClassMoments>();
  auto moments = std::make_shared<ClassMoments>();
  const std::pair<const char*, std::vector<double>*> arrays[] = {{".counts", &moments->counts},
                                                                 {".covariances", &moments->covariances},
                                                                 {".targets", &moments->targets},
                                                                 {".totals", &moments->totals},
                                                                 {".leverages", &moments->leverages}};
  const std::size_t sizes[] = {classes, classes * slots, classes * slots, classes, slots};
  for (std::size_t k = 0; k < std::size(sizes); ++k) {
    GLIMPSE_TRY_ASSIGN(const auto array, state.get<double>(name + arrays[k].first, sizes[k]));
    arrays[k].second->assign(array.begin(), array.end());
  }
  return std::shared_ptr<const ClassMoments>(std::move(moments));
}

}  // namespace glimpse
