/** A tester of latencies between hosts: pairs, quorums, suspicions; and its case study. */
@NullMarked
package io.retroscope.examples.latency;

import org.jspecify.annotations.NullMarked;
