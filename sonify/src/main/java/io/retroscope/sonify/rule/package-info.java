/** Statements with PLAY as the rules of a soundscape, and their rows as its inputs. */
@NullMarked
package io.retroscope.sonify.rule;

import org.jspecify.annotations.NullMarked;
