/** The conversion of the notes of rows into a score; pure functions without sound. */
@NullMarked
package io.retroscope.sonify.score;

import org.jspecify.annotations.NullMarked;
