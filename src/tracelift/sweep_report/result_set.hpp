// ResultSet: the results of one run of a sweep, wherever they were read from.
#pragma once

#include <string>
#include <vector>

#include "tracelift/catalog/result_record.hpp"

namespace tracelift {

struct ResultSet {
    std::string label{};   // what it is called in a report: "run 12", the name of a file
    bool has_run = false;  // whether `run` says anything
    SweepRun run{};
    std::string run_type{};      // "sweeps"; of files
    std::string results_from{};  // the files; empty: the store
    std::string metadata_from{};
    std::vector<ResultRecord> results{};
};

// Why a record did not pass, in the words of the run; empty where there is nothing to say.
inline const std::string& reason_of(const ResultRecord& record) {
    return record.exception.empty() ? record.message : record.exception;
}

// "ttnn.add", or the name of the sweep where the operation is not known.
inline const std::string& operation_of(const ResultRecord& record) {
    return record.operation.empty() ? record.sweep_name : record.operation;
}

}  // namespace tracelift
