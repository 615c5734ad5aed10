package dev.berth.bench;

/** What is measured of a contender, in the order of the table. */
enum Figure {
    START("empty cluster: s from the start to ready", 1),
    REST_MEMORY("the same, memory at rest, MiB", 0),
    COLD("cold backlog: Services/s, from the first to the last", 0),
    COLD_FIRST("s from the start to the first", 1),
    COLD_CPU("CPU s until the last, start included", 1),
    WRITES("writes per Service", 2),
    EVENTS("events per Service", 2),
    FAILED("writes that failed", 0),
    MEMORY("memory with all of them, MiB", 0),
    WARM("second and third backlog: Services/s", 0),
    WARM_CPU("CPU ms for each Service made and deleted", 2),
    PEAK("the most memory until then, MiB", 0),
    STREAM_P50("50 Services/s: ms from when it is due until it has an address, p50", 1),
    STREAM_P99("the same, p99", 1),
    NODE_CPU("a Node comes and goes at 1,000: CPU s beyond that at rest, in 20 s", 2),
    NODE_WRITES("the same, writes", 0),
    LARGE("10,000: s from the start to the last", 1),
    LARGE_CPU("10,000: CPU s until then", 1),
    LARGE_MEMORY("10,000: memory with all of them, MiB", 0),
    LARGE_PEAK("10,000: the most memory until then, MiB", 0),
    RESTART("10,000: restarted: s until ready", 1),
    RESTART_WRITES("10,000: writes in the 20 s after the restart", 0),
    RESTART_CPU("10,000: CPU s in these 20 s", 1),
    IDLE("10,000: CPU at rest, % of a core over a minute", 2),
    POOL("10,000: a range added to the pool: s until its status has it", 2),
    POOL_CPU("10,000: CPU s until 10 s later", 2),
    WIDE_START("10,000 with 20 endpoints each, and 1,000 Nodes: s from the start to ready", 1),
    WIDE_MEMORY("the same: memory at rest, MiB", 0),
    WIDE_IDLE("the same: CPU at rest, % of a core over 20 s", 2),
    WIDE_SLICE_CPU("the same: CPU ms for each EndpointSlice that changes", 2),
    WIDE_NODE_CPU("the same: a Node comes and goes: CPU s beyond that at rest, in 20 s", 2),
    WIDE_WRITES("the same: writes until then", 0),
    WIDE_PEAK("the same: the most memory until then, MiB", 0);

    /** As the table says it. */
    final String text;

    /** Digits after the point. */
    final int digits;

    Figure(String text, int digits) {
        this.text = text;
        this.digits = digits;
    }
}
