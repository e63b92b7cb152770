import './over-tls.ts';
import '../http/compression.test.ts';
