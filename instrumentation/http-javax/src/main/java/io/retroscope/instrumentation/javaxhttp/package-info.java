/**
 * The servlet filter for {@code javax.servlet}: the build copies it from {@code
 * io.retroscope.instrumentation.http} and renames the packages.
 */
@NullMarked
package io.retroscope.instrumentation.javaxhttp;

import org.jspecify.annotations.NullMarked;
