/** Whether the server works, and its end when it cannot any more. */
@NullMarked
package io.retroscope.server.health;

import org.jspecify.annotations.NullMarked;
