/** Soundscapes of the rows that sessions return: of the past, and live. */
@NullMarked
package io.retroscope.sonify.session;

import org.jspecify.annotations.NullMarked;
