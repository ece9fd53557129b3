/** The destinations of sealed blocks: a file, a log server, or memory. */
@NullMarked
package io.retroscope.sink;

import org.jspecify.annotations.NullMarked;
