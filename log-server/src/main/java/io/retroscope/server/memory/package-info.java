/** How much memory the process may use for what others send, ask and are slow to take. */
@NullMarked
package io.retroscope.server.memory;

import org.jspecify.annotations.NullMarked;
