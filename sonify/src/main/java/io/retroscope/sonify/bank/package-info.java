/** The bank of patches: recipes, additive synthesis, and the SF2 file made of them. */
@NullMarked
package io.retroscope.sonify.bank;

import org.jspecify.annotations.NullMarked;
