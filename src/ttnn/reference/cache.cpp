#include "ttnn/reference/cache.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "ttnn/reference/collectives.hpp"

namespace ttnn::reference {
namespace {

class RowsReplaced : public Values::Source {
public:
    RowsReplaced(const Array& base, const Array& rows, RowSources sources)
        : base_(base.values),
          rows_(rows.values),
          width_(base.shape.from_end(0)),
          source_width_(rows.shape.from_end(0)),
          sources_(std::move(sources)) {}

    void read(size_t first, std::span<double> to) const override {
        for (size_t done = 0; done < to.size();) {
            const size_t at = first + done;
            const size_t column = at % width_;
            const auto part = to.subspan(done, std::min(width_ - column, to.size() - done));
            const auto source = sources_.find(at / width_);
            if (source == sources_.end()) {
                base_.read(at, part);
            } else {
                rows_.read(source->second * source_width_ + column, part);
            }
            done += part.size();
        }
    }
    double at(size_t index) const override {
        const auto source = sources_.find(index / width_);
        return source == sources_.end() ? base_[index] : rows_[source->second * source_width_ + index % width_];
    }

private:
    const Values base_;
    const Values rows_;
    const size_t width_;
    const size_t source_width_;
    const RowSources sources_;
};

bool fits(const MeshShape& mesh, const MeshCoordinateSet& limits) {
    return std::ranges::all_of(limits.members(), [&](const MeshCoordinate& place) {
        return std::ranges::equal(place.values, mesh.dims, [](uint32_t at, uint32_t size) { return at < size; });
    });
}

}  // namespace

Array with_rows(const Array& base, const Array& rows, RowSources sources) {
    const size_t count = base.values.size();
    return {base.shape, Values(count, std::make_shared<const RowsReplaced>(base, rows, std::move(sources)))};
}

Array padded_rows(const Tensor& tensor) {
    return tensor.logical_shape() == tensor.padded_shape() ? values(tensor) : padded_values(tensor);
}

bool takes_part(const std::optional<MeshCoordinateSet>& limits, std::span<const Tensor> tensors, uint32_t chip) {
    if (!limits) {
        return true;
    }
    for (const Tensor& tensor : tensors) {
        if (const MeshShape mesh = mesh_of(tensor); chip < mesh.num_chips() && fits(mesh, *limits)) {
            return limits->contains(mesh.coordinate_of(chip));
        }
    }
    return false;
}

}  // namespace ttnn::reference
