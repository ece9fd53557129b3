/** Propagation of the clock in the metadata of gRPC calls. */
@NullMarked
package io.retroscope.instrumentation.grpc;

import org.jspecify.annotations.NullMarked;
