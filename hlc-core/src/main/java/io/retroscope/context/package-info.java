/** Propagation of timestamps from process to process, in headers or bytes. */
@NullMarked
package io.retroscope.context;

import org.jspecify.annotations.NullMarked;
