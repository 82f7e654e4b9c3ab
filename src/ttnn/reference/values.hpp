// Values: the fp64 numbers of an array. Many of them are made when they are asked for, block by block, so that a large
// tensor's reference does not take several times its memory.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace ttnn::reference {

class Values {
public:
    // Where numbers come from that are not held. What it refers to must stay as it is until they are read.
    class Source {
    public:
        virtual ~Source() = default;
        virtual void read(size_t first, std::span<double> to) const = 0;
        virtual double at(size_t index) const = 0;
    };

    Values() = default;
    Values(size_t size, double fill) : held_(size, fill) {}
    Values(std::vector<double> numbers) : held_(std::move(numbers)) {}  // NOLINT(google-explicit-constructor)
    Values(std::initializer_list<double> numbers) : held_(numbers) {}
    Values(size_t size, std::shared_ptr<const Source> source) : source_(std::move(source)), size_(size) {}

    size_t size() const { return source_ ? size_ : held_.size(); }
    bool empty() const { return size() == 0; }
    double operator[](size_t index) const { return source_ ? source_->at(index) : held_[index]; }
    double& operator[](size_t index) { return held()[index]; }
    // The numbers from `first` on.
    void read(size_t first, std::span<double> to) const;

    // All numbers, held from now on.
    const std::vector<double>& held() const;
    std::vector<double>& held();
    const double* data() const { return held().data(); }
    double* data() { return held().data(); }
    auto begin() const { return held().begin(); }
    auto end() const { return held().end(); }
    auto begin() { return held().begin(); }
    auto end() { return held().end(); }

private:
    mutable std::vector<double> held_;
    mutable std::shared_ptr<const Source> source_;
    size_t size_ = 0;
};

// From this many numbers on they are made when they are asked for.
inline constexpr size_t made_when_asked = size_t{1} << 20;

// Each number of `from` through a function, which must own what it uses.
Values mapped(const Values& from, std::function<double(double)> function);

}  // namespace ttnn::reference
