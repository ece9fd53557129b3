/** A lease in Redis that is held twice, and what fencing tokens do about it. */
@NullMarked
package io.retroscope.examples.redis;

import org.jspecify.annotations.NullMarked;
