/** Two consumers of a Kafka group, one of which is slow at times: who owns the partition? */
@NullMarked
package io.retroscope.examples.kafka;

import org.jspecify.annotations.NullMarked;
