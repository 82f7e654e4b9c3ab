// tracelift._ttnn: the compiled half of the Python package. python/tracelift/ttnn puts the public module together.
#include "python/bindings.hpp"
#include "python/replay.hpp"
#include "tracelift/capture/graph_recording.hpp"
#include "ttnn/core/error.hpp"

NB_MODULE(_ttnn, module) {
    namespace python = ttnn::python;
    module.doc() = "The emulated ttnn runtime.";
    python::bind_enums(module);
    python::bind_geometry(module);
    python::bind_mesh(module);
    python::bind_memory(module);
    python::bind_specs(module);
    python::install_codecs();  // records show defaults, which are converted by then
    python::bind_configs(module);
    python::bind_device(module);
    python::bind_semaphore_functions(module);
    python::bind_tensor(module);
    python::bind_placements(module);
    python::bind_tensor_data(module);
    python::bind_tensor_text(module);
    python::bind_operations(module);
    python::bind_graph(module);
    python::bind_tracing(module);
    python::bind_serializer(module);
    python::bind_report(module);
    python::bind_traced(module);
    python::bind_replay(module);
    python::bind_sweep_results(module);
    module.attr("TILE_SIZE") = ttnn::tile_size;
    python::nb::module_::import_("atexit").attr("register")(python::nb::cpp_function([] {
        tracelift::finish_graph();  // it shows operations written in Python
        python::release_python_objects();
    }));
}
