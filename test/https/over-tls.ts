/* Imported before anything else, it has the tests of a file go over TLS. */
process.env['SLUICE_TEST_HTTPS'] = '1';
