/**
 * Propagation of the clock in a header of every Kafka record, and Kafka as the transport of events.
 */
@NullMarked
package io.retroscope.instrumentation.kafka;

import org.jspecify.annotations.NullMarked;
