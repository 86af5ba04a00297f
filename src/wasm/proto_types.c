#include "wasm/proto_types.h"

#include <stddef.h>

#define TYPES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static const proto_type all[] = {
    {"cpu_data", "iiiill", 1, TYPES(0)},
    {"cpu_state_data", "ill", 2, TYPES(1)},
    {"cpu_freq_data", "iill", 3, TYPES(2)},
    {"cpu_freq_limit_data", "iiill", 4, TYPES(3)},
    {"clock_data", "iil", 5, TYPES(4)},
    {"irq_data", "lliii", 6, TYPES(5)},
    {"process_data", "ill", 7, TYPES(6)},
    {"process_mem_data", "illl", 8, TYPES(7)},
    {"process_startup_data", "iiilli", 9, TYPES(8)},
    {"process_soInit_data", "iiiilli", 10, TYPES(9)},
    {"hi_sys_event_data", "iliiisil", 11, TYPES(10)},
    {"log_data", "iiilil", 12, TYPES(11)},
    {"virtual_mem_data", "lilili", 13, TYPES(12)},
    {"energy_data", "ilsss", 14, TYPES(13, 14, 15, 47)},
    {"frame_data", "isiilllsiisliliii", 15, TYPES(16, 17)},
    {"frame_animation_data", "iills", 16, TYPES(18)},
    {"frame_dynamic_data", "isssssls", 17, TYPES(19)},
    {"frame_spacing_data", "issssls", 18, TYPES(20)},
    {"ebpf_data", "llll", 19, TYPES(48, 49, 50)},
    {"tracker_data", "ll", 20, TYPES(81, 82, 83, 84, 85, 86, 87, 88, 89, 151, 152, 153)},
    {"ability_data", "lli", 21, TYPES(90, 94, 95, 96, 97, 98, 99, 100, 101)},
    {"process_thread_data", "illlslll", 22, TYPES(30)},
    {"process_func_data", "lllilii", 23, TYPES(31)},
    {"hiperf_data", "lllii", 24, TYPES(200, 201, 202)},
    {"hiperf_call_chart_data", "llllll", 25, TYPES(203)},
    {"hiperf_call_stack_data", "lllll", 26, TYPES(204)},
    {"process_janks_frames_data", "lliiiii", 27, TYPES(26)},
    {"process_janks_actual_data", "lliiiiiii", 28, TYPES(27)},
    {"process_input_event_data", "llliiiiiiii", 29, TYPES(28)},
    {"heap_files_data", "lsllli", 30, TYPES(160, 161)},
    {"cpu_profiler_data", "llllllllllll", 31, TYPES(162)},
    {"native_memory_normal", "llll", 32, TYPES(206)},
    {"native_memory_statistic", "llllllll", 33, TYPES(207)},
    {"cpu_ability_data", "sli", 34, TYPES(91, 92, 93)},
};

const proto_type *proto_type_of(uint32_t type)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (uint8_t k = 0; k < all[i].count; k++) {
            if (all[i].types[k] == type) {
                return &all[i];
            }
        }
    }
    return NULL;
}
