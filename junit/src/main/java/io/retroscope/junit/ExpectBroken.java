// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names rules that the test must break: it fails if one of them holds or is inconclusive. Its
 * episodes are in the report of the test. All other rules must hold.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface ExpectBroken {
  /** The names of the rules. */
  String[] value();
}
