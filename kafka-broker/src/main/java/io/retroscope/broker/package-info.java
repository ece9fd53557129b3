/** A Kafka broker that is started by demonstrations and tests. */
@NullMarked
package io.retroscope.broker;

import org.jspecify.annotations.NullMarked;
