// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Checks the rules of files after each test, over the events of the nodes of the test's {@link
 * Cluster}. The rules of a class, of the classes around it and of the method are checked together.
 *
 * <pre>{@code
 * @Rules("election.rql")
 * class ElectionTest {
 *   @Test
 *   void twoCandidates(Cluster cluster) {
 *     Recorder a = cluster.node("a", Duration.ofMillis(40));
 *     ...
 *   }
 * }
 * }</pre>
 *
 * <p>A test fails if a rule is broken, has an error, or is inconclusive, and if a recorder
 * discarded events. {@link ExpectBroken} and {@link AllowInconclusive} say otherwise for single
 * rules.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(ClusterExtension.class)
public @interface Rules {
  /**
   * Files of CREATE RULE statements: resources beside the test class, or from the root of the class
   * path if they begin with a slash; otherwise files, relative to the working directory.
   */
  String[] value();
}
