// SPDX-License-Identifier: Apache-2.0
#include "harness/report/database.h"

#include <sqlite3.h>
#include <unistd.h>

#include <fstream>
#include <memory>

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr int kLayout = 1;
constexpr char kCreate[] =
    "CREATE TABLE attempts (run TEXT NOT NULL, case_name TEXT NOT NULL, target TEXT NOT NULL,"
    " version TEXT NOT NULL, seed TEXT NOT NULL, attempt INTEGER NOT NULL, verdict TEXT NOT NULL,"
    " known INTEGER NOT NULL, started TEXT NOT NULL, seconds REAL NOT NULL, reason TEXT NOT NULL,"
    " folder TEXT NOT NULL, PRIMARY KEY (run, case_name, target, attempt)) STRICT;"
    "PRAGMA user_version = 1;";
// From the run's name and a line of results.jsonl; a line that was cut off by a kill is left out.
constexpr char kInsert[] =
    "INSERT OR REPLACE INTO attempts SELECT ?1, l->>'case', l->>'target', l->>'target_version',"
    " l->>'seed', l->>'attempt', l->>'verdict', l->>'known', l->>'started', l->>'seconds',"
    " l->>'reason', l->>'folder' FROM"
    " (SELECT CASE WHEN json_valid(?2) THEN ?2 ELSE '{}' END AS l) WHERE l->>'schema' = 1";

constexpr char kPast[] =
    "SELECT run, case_name, CASE WHEN sum(verdict = 'fail' AND NOT known) > 0 THEN 'fail'"
    " WHEN sum(verdict = 'fail') > 0 THEN 'known'"
    " WHEN sum(verdict = 'inconclusive') > 0 THEN 'inconclusive' ELSE 'pass' END FROM attempts"
    " WHERE verdict IN ('pass', 'fail', 'inconclusive') AND run IN"
    " (SELECT DISTINCT run FROM attempts WHERE run < ?1 ORDER BY run DESC LIMIT ?2)"
    " GROUP BY run, case_name ORDER BY run";

constexpr char kDurations[] =
    "SELECT case_name, target, round(avg(seconds), 3) FROM attempts"
    " WHERE verdict <> 'harness_error' GROUP BY case_name, target";

struct Closer {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, Closer>;
using Statement = std::unique_ptr<sqlite3_stmt, Closer>;

Status FailDatabase(sqlite3* db, const char* what) {
  return Fail(StatusCode::kDataLoss, "{}: {}", what,
              db != nullptr ? sqlite3_errmsg(db) : "out of memory");
}

Status Execute(sqlite3* db, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return FailDatabase(db, "writing");
}

Result<Statement> Prepare(sqlite3* db, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) != SQLITE_OK) {
    return FailDatabase(db, sql);
  }
  return Statement(statement);
}

Result<int> Layout(sqlite3* db) {
  WP_ASSIGN_OR_RETURN(const Statement statement, Prepare(db, "PRAGMA user_version"));
  if (sqlite3_step(statement.get()) != SQLITE_ROW) return FailDatabase(db, "reading the layout");
  return sqlite3_column_int(statement.get(), 0);
}

Result<Database> Open(const fs::path& file,
                      int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) {
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open_v2(file.c_str(), &raw, flags, nullptr);
  Database db(raw);
  if (opened != SQLITE_OK) return FailDatabase(db.get(), "opening");
  sqlite3_busy_timeout(db.get(), 10'000);
  return db;
}

void Bind(sqlite3_stmt* statement, int column, std::string_view text) {
  sqlite3_bind_text(statement, column, text.data(), static_cast<int>(text.size()),
                    SQLITE_TRANSIENT);
}

std::string ReadText(sqlite3_stmt* statement, int column) {
  const unsigned char* value = sqlite3_column_text(statement, column);
  return value == nullptr ? "" : reinterpret_cast<const char*>(value);
}

// Adds the rows of one run.
Result<int> AddRun(sqlite3* db, const fs::path& folder) {
  WP_ASSIGN_OR_RETURN(const Statement statement, Prepare(db, kInsert));
  std::ifstream lines(folder / "results.jsonl");
  const int before = sqlite3_total_changes(db);
  for (std::string line; std::getline(lines, line);) {
    sqlite3_reset(statement.get());
    Bind(statement.get(), 1, folder.filename().string());
    Bind(statement.get(), 2, line);
    if (sqlite3_step(statement.get()) != SQLITE_DONE) return FailDatabase(db, "adding a row");
  }
  return sqlite3_total_changes(db) - before;
}

Status AddOneRun(const fs::path& run_dir, const std::string& run_id) {
  WP_ASSIGN_OR_RETURN(const Database db, Open(run_dir / "results.db"));
  WP_ASSIGN_OR_RETURN(const int layout, Layout(db.get()));
  if (layout != kLayout) {
    return Fail(StatusCode::kFailedPrecondition, "layout {} instead of {}", layout, kLayout);
  }
  WP_RETURN_IF_ERROR(Execute(db.get(), "BEGIN IMMEDIATE"));
  WP_ASSIGN_OR_RETURN([[maybe_unused]] const int rows, AddRun(db.get(), run_dir / run_id));
  return Execute(db.get(), "COMMIT");
}

}  // namespace

Result<int> RebuildDatabase(const fs::path& run_dir) {
  // Built aside and moved into place, so that readers never see a partial file.
  const fs::path file = run_dir / fmt::format("results.db.{}", getpid());
  std::error_code error;
  fs::remove(file, error);
  int rows = 0;
  {
    WP_ASSIGN_OR_RETURN(const Database db, Open(file));
    WP_RETURN_IF_ERROR(Execute(db.get(), kCreate));
    WP_RETURN_IF_ERROR(Execute(db.get(), "BEGIN"));
    for (const auto& entry : fs::directory_iterator(run_dir, error)) {
      if (entry.is_symlink() || !fs::exists(entry.path() / "results.jsonl")) continue;
      WP_ASSIGN_OR_RETURN(const int added, AddRun(db.get(), entry.path()));
      rows += added;
    }
    WP_RETURN_IF_ERROR(Execute(db.get(), "COMMIT"));
  }
  fs::rename(file, run_dir / "results.db", error);
  if (error) return FromErrorCode(error).WithContext("results.db");
  return rows;
}

std::vector<PastRun> PastRuns(const fs::path& run_dir, const std::string& run_id, int most) {
  std::vector<PastRun> past;
  const Result<Database> db = Open(run_dir / "results.db", SQLITE_OPEN_READONLY);
  if (!db.has_value()) return past;
  const Result<Statement> statement = Prepare(db->get(), kPast);
  if (!statement.has_value()) return past;
  Bind(statement->get(), 1, run_id);
  sqlite3_bind_int(statement->get(), 2, most);
  const auto text = [&](int column) { return ReadText(statement->get(), column); };
  while (sqlite3_step(statement->get()) == SQLITE_ROW) {
    if (past.empty() || past.back().run != text(0)) past.push_back({text(0), {}});
    past.back().outcomes[text(1)] = text(2);
  }
  return past;
}

Result<Durations> ReadDurations(const fs::path& file) {
  const auto read = [&]() -> Result<Durations> {
    WP_ASSIGN_OR_RETURN(const Database db, Open(file, SQLITE_OPEN_READONLY));
    WP_ASSIGN_OR_RETURN(const Statement statement, Prepare(db.get(), kDurations));
    Durations durations;
    int step = SQLITE_ROW;
    while ((step = sqlite3_step(statement.get())) == SQLITE_ROW) {
      durations[{ReadText(statement.get(), 0), ReadText(statement.get(), 1)}] =
          sqlite3_column_double(statement.get(), 2);
    }
    if (step != SQLITE_DONE) return FailDatabase(db.get(), "reading");
    return durations;
  };
  Result<Durations> durations = read();
  if (durations.has_value()) return durations;
  return std::move(durations).error().WithContext("{}", file.string());
}

Status AddToDatabase(const fs::path& run_dir, const std::string& run_id) {
  if (fs::exists(run_dir / "results.db") && AddOneRun(run_dir, run_id).ok()) return {};
  const Result<int> rebuilt = RebuildDatabase(run_dir);
  if (rebuilt.has_value()) return {};
  return rebuilt.error().WithContext("{}", (run_dir / "results.db").string());
}

}  // namespace watchproof
