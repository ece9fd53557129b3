/** A small service, traced with {@code hlc-core} only. */
@NullMarked
package io.retroscope.examples.quickstart;

import org.jspecify.annotations.NullMarked;
