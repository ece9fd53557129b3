// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method whose result must not be dropped, because a chain of calls that ends there records
 * nothing. Error Prone and SpotBugs recognise the annotation by its simple name, so that callers
 * need no further dependency; without such a tool it has no effect.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface CheckReturnValue {}
