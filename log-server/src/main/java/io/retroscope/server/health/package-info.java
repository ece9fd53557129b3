/** The health of the server: checks of its parts, and the end of a process that cannot continue. */
@NullMarked
package io.retroscope.server.health;

import org.jspecify.annotations.NullMarked;
