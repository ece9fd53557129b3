// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.examples.kafka.KafkaCase.Fault;

/**
 * A time in which a consumer did not poll, measured by the one that caused it. Immutable.
 *
 * @param beganMicros the machine's clock before the pause, in microseconds since 1970
 * @param endedMicros the clock immediately before it could continue
 * @param sharedMicros the clock when the coordinator reported that both consumers share the
 *     partitions again
 */
record Pause(Fault fault, String node, long beganMicros, long endedMicros, long sharedMicros) {}
