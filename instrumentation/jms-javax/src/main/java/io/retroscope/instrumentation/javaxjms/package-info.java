/**
 * The clock in messages of {@code javax.jms}: the build copies {@code
 * io.retroscope.instrumentation.jms} and renames the packages.
 */
@NullMarked
package io.retroscope.instrumentation.javaxjms;

import org.jspecify.annotations.NullMarked;
