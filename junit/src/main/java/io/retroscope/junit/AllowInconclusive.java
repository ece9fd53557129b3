// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names rules that may be inconclusive, because something that they need was not recorded. The
 * reason is in the report of the test. Without this annotation, an inconclusive rule fails the
 * test: it would otherwise pass because nothing happened.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface AllowInconclusive {
  /** The names of the rules. */
  String[] value();
}
