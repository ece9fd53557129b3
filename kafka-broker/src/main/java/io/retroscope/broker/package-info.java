/** A Kafka broker that demonstrations and tests start themselves. */
@NullMarked
package io.retroscope.broker;

import org.jspecify.annotations.NullMarked;
