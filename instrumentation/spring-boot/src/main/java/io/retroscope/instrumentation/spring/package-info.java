/** The auto-configuration of a recorder, its carriers and its meters for Spring Boot. */
@NullMarked
package io.retroscope.instrumentation.spring;

import org.jspecify.annotations.NullMarked;
