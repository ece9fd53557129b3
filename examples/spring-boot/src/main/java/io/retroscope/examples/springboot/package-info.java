/** A plain Spring Boot service with the starter. */
package io.retroscope.examples.springboot;
