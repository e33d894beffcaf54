#include <algorithm>
#include <fmt/format.h>

#include "daemon/config/option_table.h"

namespace glimpse {

namespace {

using Types = OptionTypes<Configuration>;

bool may_have_classes(const Configuration& c) { return c.classes.task != Task::kRegression; }
const OptionRule<Configuration> kIsForClasses{may_have_classes, "contradicts --task regression"};
bool has_one_label(const Configuration& c) { return c.learner.labels.size() < 2; }
const OptionRule<Configuration> kIsForOneLabel{has_one_label,
                                               "has no effect with several labels, which are numbers"};

Status read_classes(const std::string& text, Configuration& c) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    if (name.empty()) return invalid_option("classes", text, "must be names of classes, with commas between");
    if (name == "?")
      return invalid_option("classes", text,
                            "has the class ?, which no label names: it asks for a prediction");
    if (std::ranges::find(c.classes.names, name) != c.classes.names.end())
      return invalid_option("classes", text, fmt::format("names {} twice", name));
    c.classes.names.push_back(name);
    begin = end + 1;
  }
  return {};
}

}  // namespace

std::vector<DaemonOption> class_options() {
  return {
      {.name = "task",
       .value = "WHICH",
       .sentence = "what labels are: numbers (regression), classes, or classes where they are words (auto, "
                   "default)",
       .standard = "auto",
       .details =
           R"(What labels are. auto: classes where the first is a word or 'classes' names them, else numbers.
classes: also where they are numbers, as 0 to 9 of digits, in every format. regression: numbers; where
labels are words, there are two, and they are 0 and 1. pairwise and pairwise-screened learn any number
of classes, other algorithms two.)",
       .type = Types::choice<Task>(
           at(&Configuration::classes, &ClassOptions::task),
           {{"auto", Task::kAuto}, {"regression", Task::kRegression}, {"classes", Task::kClasses}})},
      {.name = "classes",
       .value = "NAMES",
       .sentence = "names of classes, with commas between: they are known before any example, in this order; "
                   "others may come; may be repeated",
       .example = "no,yes",
       .details =
           R"(Labels are classes, and these are known before any example, in this order: in answers, in /v1/model
and in confusion counts. Without it classes have the order in which they come. Others may come later,
up to 'max-classes' in all. With commas between; may be repeated.)",
       .type = Types::repeated(read_classes, at(&Configuration::classes, &ClassOptions::names)),
       .rules = {kIsForClasses}},
      {.name = "max-classes",
       .value = "N",
       .sentence = "classes at most; a label that would be one more is refused; default 100",
       .standard = "100",
       .details =
           R"(How many classes there may be; a label that would be one more is refused, and so is the record. So a
column of names that was taken for the label is noticed. Where pairs are kept a class takes 32 bytes
for each attribute and for each category, and as many numbers in each model that is kept. Models take
time by the cube of their classes: of 1000 about a second.)",
       .type = Types::whole(at(&Configuration::classes, &ClassOptions::most), 1, ClassOptions::kLargestMost),
       .rules = {kIsForClasses, kIsForOneLabel}},
      {.name = "predict",
       .value = "WHICH",
       .sentence = "what stream doors reply of classes: CLASS PROBABILITY (label, default), or "
                   "CLASS:PROBABILITY or CLASS:SCORE of all of them (probabilities, scores)",
       .standard = "label",
       .details =
           R"(What stream doors reply where labels are classes. label: the most likely class and its probability,
as 'spam 0.93'. probabilities: 'ham:0.07 spam:0.93', those of all classes. scores: the same of the
linear scores, of which probabilities are made: exp(slope * score), as shares of their sum. A class with
a space or a colon in its name is written as a JSON string. /v1/predict has ?predict= for it.)",
       .type = Types::choice<PredictAs>(at(&Configuration::predict_as),
                                        {{"label", PredictAs::kLabel},
                                         {"probabilities", PredictAs::kProbabilities},
                                         {"scores", PredictAs::kScores}}),
       .rules = {kIsForClasses},
       .reload = Reload::kNow},
  };
}

}  // namespace glimpse
