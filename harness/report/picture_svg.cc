// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "harness/report/picture.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr double kWidth = 1200;
constexpr double kLeft = 200;  // of the lanes; their names are beside
constexpr double kRight = kWidth - 116;
constexpr double kChart = 110;
constexpr double kRow = 13;         // of labels
constexpr double kLetter = 5.7;     // of a label
constexpr std::size_t kLine = 150;  // characters of a line of text

std::string TextAt(double x, double y, std::string_view text, std::string_view more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x, y, more, EscapeXml(text));
}

std::string Shape(const ItemStyle& look, double x, double y) {
  const std::string_view c = look.colour;
  if (look.shape == "dot") {
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x, y, c);
  }
  if (look.shape == "ring" || look.shape == "gap") {
    return fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"#fff\" stroke=\"{}\" "
        "stroke-width=\"2\"/>\n",
        x, y, look.shape == "gap" ? "6\" stroke-dasharray=\"3 2" : "4.5", c);
  }
  if (look.shape == "diamond") {
    return fmt::format("<path d=\"M{:.1f} {:.1f}l6 6l-6 6l-6 -6z\" fill=\"{}\"/>\n", x, y - 6, c);
  }
  if (look.shape == "square") {
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\" fill=\"{}\"/>\n",
                       x - 3.5, y - 3.5, c);
  }
  const std::string_view path = look.shape == "cross" ? "m-5 -5l10 10m0 -10l-10 10" : "m0 -6v12";
  return fmt::format("<path d=\"M{:.1f} {:.1f}{}\" stroke=\"{}\" stroke-width=\"2.5\"/>\n", x, y,
                     path, c);
}

// What a disk did: as long as it lasted.
std::string Bar(const ItemStyle& look, double x, double y, double width) {
  const std::string_view fill = look.shape == "block"     ? look.colour
                                : look.shape == "hatched" ? "url(#lost)"
                                                          : "none";
  const bool open = look.shape == "open";
  // What else was done meanwhile is drawn in the middle of it.
  const double height = look.shape == "hatched" ? 14 : 8;
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\" stroke=\"{}\" "
      "stroke-width=\"{}\"{}/>\n",
      x, y - height / 2, width, height, fill, look.shape == "block" ? "#fff" : look.colour,
      look.shape == "block" ? "0.6" : "1.2", open ? " stroke-dasharray=\"3 2\"" : "");
}
bool IsBar(const ItemStyle& look) {
  return look.shape == "block" || look.shape == "hatched" || look.shape == "open";
}

std::string Badge(std::size_t number, double x, double y) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"8\" fill=\"#cf222e\"/>\n", x, y) +
         TextAt(x, y + 3.5, fmt::format("{}", number),
                " text-anchor=\"middle\" fill=\"#fff\" font-weight=\"700\"");
}

class Drawing {
 public:
  Drawing(const Picture& picture, const PictureCaption& caption)
      : picture_(picture), caption_(caption) {
    // What follows the wrong moment explains little.
    if (!picture.evidence.empty()) {
      Duration last{};
      for (const CitedLine& cited : picture.evidence) last = std::max(last, cited.at);
      end_ = std::min(1.0, PlaceOf(picture, last) + 0.12);
    }
  }

  std::string Draw() {
    Caption();
    top_ = y_;
    Chart();
    Axis();
    for (const PictureLane& lane : picture_.lanes) Lane(lane);
    const std::string shading = Shading();
    const std::string lines = Evidence();
    Legend();
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" "
               "width=\"{0}\" height=\"{1:.0f}\" font-family=\"system-ui, sans-serif\" "
               "font-size=\"13\">\n"
               "<style>.label {{ font-size: 10.5px; }}</style>\n<title>{2}</title>\n"
               "<defs><pattern id=\"hatch\" width=\"8\" height=\"8\" "
               "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
               "<rect width=\"8\" height=\"8\" fill=\"#fff8c5\" fill-opacity=\".6\"/>"
               "<rect width=\"2\" height=\"8\" fill=\"#d4a72c\" fill-opacity=\".35\"/>"
               "</pattern><pattern id=\"lost\" width=\"5\" height=\"5\" "
               "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
               "<rect width=\"5\" height=\"5\" fill=\"#fff\"/>"
               "<rect width=\"2\" height=\"5\" fill=\"#bc4c00\"/></pattern></defs>\n<rect "
               "width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
               kWidth, y_, EscapeXml(caption_.title)) +
           shading + lines + body_ + "</svg>\n";
  }

 private:
  double X(Duration at) const {
    return kLeft + (kRight - kLeft) * std::min(1.0, PlaceOf(picture_, at) / end_);
  }
  bool Beyond(Duration at) const { return PlaceOf(picture_, at) > end_; }

  void Paragraph(std::string_view name, std::string_view text) {
    body_ += TextAt(16, y_, name, " fill=\"#57606a\"");
    for (const std::string& line : Wrap(CleanText(text), kLine)) {
      body_ += TextAt(100, y_, line);
      y_ += 17;
    }
  }

  void Caption() {
    y_ = 28;
    body_ += TextAt(16, y_, caption_.title, " font-size=\"18\" font-weight=\"700\"");
    y_ += 24;
    for (const auto& [name, text] : caption_.rows) Paragraph(name, text);
    y_ += 12;
  }

  // How far the store, the compaction floor and the first watch have come.
  void Chart() {
    std::int64_t lowest = INT64_MAX;
    std::int64_t highest = 1;
    const auto see = [&](const std::vector<PictureStep>& steps) {
      for (const PictureStep& step : steps) {
        if (Beyond(step.at)) break;
        lowest = std::min(lowest, step.revision.value);
        highest = std::max(highest, step.revision.value);
      }
    };
    const PictureLane* watch = nullptr;
    for (const PictureLane& lane : picture_.lanes) {
      if (lane.kind == LaneKind::kWatch && watch == nullptr) watch = &lane;
    }
    see(picture_.head);
    see(picture_.floor);
    if (watch != nullptr) see(watch->position);
    if (lowest == INT64_MAX) return;
    body_ += TextAt(16, y_ + 14, "revision", " font-weight=\"600\"");
    body_ += TextAt(kLeft - 6, y_ + 18, fmt::format("{}", highest),
                    " class=\"label\" text-anchor=\"end\" fill=\"#57606a\"");
    body_ += TextAt(kLeft - 6, y_ + kChart, fmt::format("{}", lowest),
                    " class=\"label\" text-anchor=\"end\" fill=\"#57606a\"");
    Steps(picture_.head, "#57606a", "the store", y_, lowest, highest);
    Steps(picture_.floor, "#bc4c00", "compaction floor", y_, lowest, highest);
    if (watch != nullptr) {
      Steps(watch->position, "#0969da", "the watch waits for", y_, lowest, highest);
    }
    // Beside the ends of the lines, one below the other.
    std::ranges::sort(names_);
    double free = 0;
    for (const auto& [end, name, colour] : names_) {
      free = std::max(free + kRow, end + 4);
      body_ += TextAt(kRight + 6, free, name, fmt::format(" class=\"label\" fill=\"{}\"", colour));
    }
    y_ += kChart + 6;
  }

  void Steps(const std::vector<PictureStep>& steps, std::string_view colour,
             const std::string& label, double from_y, std::int64_t lowest, std::int64_t highest) {
    if (steps.empty()) return;
    const double span = static_cast<double>(std::max<std::int64_t>(1, highest - lowest));
    std::string path;
    double y = 0;
    for (const PictureStep& step : steps) {
      if (Beyond(step.at)) break;
      y = from_y + kChart -
          (kChart - 14) * static_cast<double>(step.revision.value - lowest) / span;
      path += path.empty() ? fmt::format("M{:.1f} {:.1f}", X(step.at), y)
                           : fmt::format("H{:.1f}V{:.1f}", X(step.at), y);
    }
    if (path.empty()) return;
    body_ += fmt::format("<path d=\"{}H{:.1f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                         path, kRight, colour);
    names_.push_back({y, label, colour});
  }

  void Axis() {
    body_ += fmt::format("<path d=\"M{} {:.1f}H{}\" stroke=\"#57606a\"/>\n", kLeft, y_, kRight);
    double free = kLeft - 1;
    for (const auto& [at, place] : picture_.pace) {
      if (place > end_ || X(at) < free) continue;
      const double ms = std::chrono::duration<double, std::milli>(at).count();
      body_ += fmt::format("<path d=\"M{0:.1f} {1:.1f}v4\" stroke=\"#57606a\"/>\n", X(at), y_);
      body_ += TextAt(X(at), y_ + 15, fmt::format("{:.{}f}", ms, ms < 100 ? 1 : 0),
                      " class=\"label\" text-anchor=\"middle\" fill=\"#57606a\"");
      free = X(at) + 56;
    }
    body_ += TextAt(16, y_ + 15, "ms; pauses are shortened", " class=\"label\" fill=\"#57606a\"");
    y_ += 26;
  }

  void Lane(const PictureLane& lane) {
    body_ += fmt::format("<path d=\"M16 {0:.1f}H{1}\" stroke=\"#d0d7de\"/>\n", y_, kRight);
    double name_y = y_ + 16;
    const bool watch = lane.kind == LaneKind::kWatch;
    std::size_t line = 0;
    for (const std::string& text : Wrap(CleanText(lane.name), 200)) {
      body_ += TextAt(16, name_y, Shorten(text, 28, Charset::kUtf8),
                      line++ == 0 ? (watch ? " font-weight=\"700\"" : " font-weight=\"600\"")
                                  : " class=\"label\" fill=\"#57606a\"");
      name_y += 14;
    }
    body_ +=
        fmt::format("<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#eaeef2\"/>\n", kLeft, y_ + 12, kRight);
    for (const bool behind : {true, false}) {
      for (const PictureItem& item : lane.items) {
        if (behind == (item.kind == ItemKind::kTakenBack) && !Beyond(item.at)) Item(item, y_ + 12);
      }
    }
    const double labels = Labels(lane.items);
    for (const PictureItem& item : lane.items) {
      Badges(item);
    }
    const double height = std::max(20 + labels, name_y - y_) + 8;
    for (const PictureItem& item : lane.items) {
      const ItemStyle& look = StyleOf(item.kind);
      if (look.shape != "line" || Beyond(item.at)) continue;
      body_ +=
          fmt::format("<path d=\"M{:.1f} {:.1f}v{:.1f}\" stroke=\"{}\" stroke-width=\"1.8\"/>\n",
                      X(item.at), y_, height, look.colour);
    }
    y_ += height;
  }

  // Those of one moment stand beside each other.
  void Badges(const PictureItem& item) {
    double free = 0;
    for (const auto& [number, at] :
         {std::pair(item.cited, item.at), std::pair(item.cited_until, item.until)}) {
      if (number == 0 || Beyond(at)) continue;
      const double x = std::max(X(at), free);
      body_ += Badge(number, x, y_ + 2);
      free = x + 17;
    }
  }

  void Item(const PictureItem& item, double y) {
    const ItemStyle& look = StyleOf(item.kind);
    const double x = X(item.at);
    const double until = X(item.until);
    std::string shape;
    if (IsBar(look)) {
      shape = Bar(look, x, y, std::max(2.0, until - x));
    } else if (until - x > 3) {
      shape += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"6\" rx=\"3\" fill=\"{}\" "
          "fill-opacity=\".35\"/>\n",
          x, y - 3, until - x, look.colour);
    }
    if (look.shape != "bar" && look.shape != "line" && !IsBar(look)) shape += Shape(look, x, y);
    body_ += fmt::format("<g><title>{}</title>\n{}</g>\n", EscapeXml(item.text), shape);
  }

  // Below the line of the lane, in rows; what matters gets its place first. The height used.
  double Labels(const std::vector<PictureItem>& items) {
    std::array<std::vector<std::pair<double, double>>, 5> taken;
    std::vector<double> lines;  // to be crossed only if there is no other place
    for (const PictureItem& item : items) {
      if (StyleOf(item.kind).shape == "line" && !Beyond(item.at)) lines.push_back(X(item.at));
    }
    std::size_t rows = 0;
    const auto place = [&](const PictureItem& item, std::size_t most, bool crosses) {
      const std::string label = LabelOf(item);
      if (label.empty() || Beyond(item.at)) return true;
      const double width = kLetter * static_cast<double>(Columns(label)) + 6;
      const double begin = std::clamp(LabelAt(item, width), kLeft, std::max(kLeft, kRight - width));
      const bool crossed =
          std::ranges::any_of(lines, [&](double x) { return begin < x && x < begin + width; });
      for (std::size_t row = 0; row < most && (crosses || !crossed); ++row) {
        const bool free = std::ranges::all_of(taken[row], [&](const auto& other) {
          return other.second <= begin || begin + width <= other.first;
        });
        if (!free) continue;
        taken[row].emplace_back(begin, begin + width);
        rows = std::max(rows, row + 1);
        const bool wrong = IsDeviation(item.kind);
        body_ +=
            TextAt(begin + width / 2, y_ + 26 + kRow * static_cast<double>(row), label,
                   fmt::format(" class=\"label\" text-anchor=\"middle\" fill=\"{}\"{}",
                               StyleOf(item.kind).colour, wrong ? " font-weight=\"700\"" : ""));
        return true;
      }
      return false;
    };
    for (const PictureItem& item : items) {
      if (IsRoutine(item)) continue;
      if (!place(item, taken.size(), false)) place(item, taken.size(), true);
    }
    for (const PictureItem& item : items) {
      if (IsRoutine(item)) place(item, 1, false);
    }
    return kRow * static_cast<double>(std::max<std::size_t>(1, rows));
  }

  // Where a label of that width begins.
  double LabelAt(const PictureItem& item, double width) const {
    const ItemStyle& look = StyleOf(item.kind);
    const double x = X(item.at);
    if (look.shape == "line") return x + 1 + width > kRight ? x - 1 - width : x + 1;
    // A loss ends with a line, as a rule.
    if (look.shape == "hatched") return X(item.until) - 1 - width;
    // The label of what lasts is below its middle.
    const bool lasts = item.kind == ItemKind::kFault || IsBar(look);
    return (x + (lasts ? X(item.until) : x) - width) / 2;
  }

  std::string Shading() const {
    std::string text;
    for (const PictureLane& lane : picture_.lanes) {
      for (const PictureItem& item : lane.items) {
        if (item.kind != ItemKind::kFault || Beyond(item.at)) continue;
        text += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
            "fill=\"url(#hatch)\"/>\n",
            X(item.at), top_, std::max(2.0, X(item.until) - X(item.at)), y_ - top_);
      }
    }
    return text;
  }

  const CitedLine* FirstWrong() const {
    const auto first = std::ranges::find(picture_.evidence, true, &CitedLine::wrong);
    return first == picture_.evidence.end() ? nullptr : &*first;
  }

  std::string Evidence() {
    if (picture_.evidence.empty()) return {};
    std::string lines;
    for (const CitedLine& cited : picture_.evidence) {
      if (!cited.wrong) continue;
      const double x = X(cited.at);
      lines += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#cf222e\" stroke-width=\"1.5\" "
          "stroke-dasharray=\"5 3\"/>\n",
          x, top_, y_);
      // One text, where several findings have their moments.
      if (&cited != FirstWrong()) continue;
      body_ += TextAt(std::min(x, kRight - 50), y_ + 14, "first wrong moment",
                      " text-anchor=\"middle\" fill=\"#cf222e\" font-weight=\"700\"");
    }
    y_ += 36;
    for (std::size_t i = 0; i < picture_.evidence.size(); ++i) {
      const CitedLine& cited = picture_.evidence[i];
      body_ += Badge(i + 1, 24, y_ - 4);
      const double ms = std::chrono::duration<double, std::milli>(cited.at).count();
      const std::string text =
          fmt::format("{:.1f} ms, line {}: {}", ms, cited.line.value, cited.text);
      for (const std::string& part : Wrap(CleanText(text), kLine + 10)) {
        body_ += TextAt(40, y_, part);
        y_ += 17;
      }
      y_ += 4;
    }
    return lines;
  }

  void Legend() {
    std::vector<std::string_view> seen;
    double x = 24;
    y_ += 8;
    for (const PictureLane& lane : picture_.lanes) {
      for (const PictureItem& item : lane.items) {
        const ItemStyle& look = StyleOf(item.kind);
        if (look.shape == "bar" || Beyond(item.at) ||
            std::ranges::find(seen, look.legend) != seen.end()) {
          continue;
        }
        seen.push_back(look.legend);
        const double width = 34 + kLetter * static_cast<double>(look.legend.size());
        if (x + width > kWidth) {
          x = 24;
          y_ += 18;
        }
        body_ += IsBar(look) ? Bar(look, x - 6, y_ - 4, 12) : Shape(look, x, y_ - 4);
        body_ += TextAt(x + 10, y_, look.legend, " class=\"label\" fill=\"#57606a\"");
        x += width;
      }
    }
    y_ += 16;
  }

  const Picture& picture_;
  const PictureCaption& caption_;
  double end_ = 1;
  double y_ = 0;
  double top_ = 0;                                                        // of chart and lanes
  std::vector<std::tuple<double, std::string, std::string_view>> names_;  // of the chart's lines
  std::string body_;
};

}  // namespace

std::string ToSvg(const Picture& picture, const PictureCaption& caption) {
  return Drawing(picture, caption).Draw();
}

}  // namespace watchproof
