/** Turns the notes beside rows into a score: who plays what, when; pure and without sound. */
@NullMarked
package io.retroscope.sonify.score;

import org.jspecify.annotations.NullMarked;
