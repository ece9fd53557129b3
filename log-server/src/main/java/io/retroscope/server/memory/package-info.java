/** The memory budget that requests, queries, queues and caches of the process share. */
@NullMarked
package io.retroscope.server.memory;

import org.jspecify.annotations.NullMarked;
