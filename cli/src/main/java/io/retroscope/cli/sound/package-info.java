/** Scores of queries, and their files. */
@NullMarked
package io.retroscope.cli.sound;

import org.jspecify.annotations.NullMarked;
