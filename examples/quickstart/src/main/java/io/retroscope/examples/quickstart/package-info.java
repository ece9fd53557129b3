/** A small service of one's own, traced with nothing but {@code hlc-core}. */
@NullMarked
package io.retroscope.examples.quickstart;

import org.jspecify.annotations.NullMarked;
