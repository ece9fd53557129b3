/** Signal processing on samples: loudness, true peaks, the peak limiter and PCM encoding. */
@NullMarked
package io.retroscope.sonify.audio;

import org.jspecify.annotations.NullMarked;
