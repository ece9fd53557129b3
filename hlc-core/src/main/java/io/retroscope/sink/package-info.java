/** Where sealed blocks go: a file, a log server, memory. */
@NullMarked
package io.retroscope.sink;

import org.jspecify.annotations.NullMarked;
