/** Carries the clock in a header of every Kafka record. */
@NullMarked
package io.retroscope.instrumentation.kafka;

import org.jspecify.annotations.NullMarked;
